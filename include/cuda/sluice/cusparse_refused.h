/* cusparse_refused: functions of cuSPARSE that Sluice lacks. Each returns CUSPARSE_STATUS_NOT_SUPPORTED and prints its
 * name with the reason. They take any arguments. Part of cusparse.h. */
#ifndef SLUICE_CUSPARSE_REFUSED_H
#define SLUICE_CUSPARSE_REFUSED_H

#define SLUICE_CUSPARSE_CZ(X, name, reason) X(cusparseC##name, reason) X(cusparseZ##name, reason)
#define SLUICE_CUSPARSE_HSD(X, name, reason)                                                                           \
	X(cusparseH##name, reason) X(cusparseS##name, reason) X(cusparseD##name, reason)
#define SLUICE_CUSPARSE_SDCZ(X, name, reason)                                                                          \
	X(cusparseS##name, reason) X(cusparseD##name, reason) SLUICE_CUSPARSE_CZ(X, name, reason)

/* X(name, reason) */
#define SLUICE_CUSPARSE_REFUSED(X)                                                                                     \
	X(cusparseLoggerSetCallback, "there is no log")                                                                \
	X(cusparseLoggerSetFile, "there is no log")                                                                    \
	X(cusparseLoggerOpenFile, "there is no log")                                                                   \
	X(cusparseLoggerSetLevel, "there is no log")                                                                   \
	X(cusparseLoggerSetMask, "there is no log")                                                                    \
	X(cusparseLoggerForceDisable, "there is no log")                                                               \
	X(cusparseCreateCsrilu02Info, "no kernel factors matrices")                                                    \
	X(cusparseDestroyCsrilu02Info, "no kernel factors matrices")                                                   \
	X(cusparseXcsrilu02_zeroPivot, "no kernel factors matrices")                                                   \
	X(cusparseCreateCsric02Info, "no kernel factors matrices")                             \
	X(cusparseDestroyCsric02Info, "no kernel factors matrices")                            \
	SLUICE_CUSPARSE_SDCZ(X, csrilu02_numericBoost, "no kernel factors matrices")           \
	SLUICE_CUSPARSE_SDCZ(X, csrilu02_bufferSize, "no kernel factors matrices")               \
	SLUICE_CUSPARSE_SDCZ(X, csrilu02_bufferSizeExt, "no kernel factors matrices")          \
	SLUICE_CUSPARSE_SDCZ(X, csrilu02_analysis, "no kernel factors matrices")                 \
	SLUICE_CUSPARSE_SDCZ(X, csrilu02, "no kernel factors matrices")                          \
	X(cusparseXcsric02_zeroPivot, "no kernel factors matrices")                            \
	SLUICE_CUSPARSE_SDCZ(X, csric02_bufferSize, "no kernel factors matrices")              \
	SLUICE_CUSPARSE_SDCZ(X, csric02_bufferSizeExt, "no kernel factors matrices")           \
	SLUICE_CUSPARSE_SDCZ(X, csric02_analysis, "no kernel factors matrices")                \
	SLUICE_CUSPARSE_SDCZ(X, csric02, "no kernel factors matrices")                         \
	X(cusparseCreateBsric02Info, "blocked matrices (BSR) are not supported")                                       \
	X(cusparseDestroyBsric02Info, "blocked matrices (BSR) are not supported")                                      \
	X(cusparseCreateBsrilu02Info, "blocked matrices (BSR) are not supported")                                      \
	X(cusparseDestroyBsrilu02Info, "blocked matrices (BSR) are not supported")                                     \
	X(cusparseCreateBsrsv2Info, "blocked matrices (BSR) are not supported")                                        \
	X(cusparseDestroyBsrsv2Info, "blocked matrices (BSR) are not supported")                                       \
	X(cusparseCreateBsrsm2Info, "blocked matrices (BSR) are not supported")                                        \
	X(cusparseDestroyBsrsm2Info, "blocked matrices (BSR) are not supported")                                       \
	SLUICE_CUSPARSE_SDCZ(X, bsrmv, "blocked matrices (BSR) are not supported")                                     \
	SLUICE_CUSPARSE_SDCZ(X, bsrxmv, "blocked matrices (BSR) are not supported")                                    \
	X(cusparseXbsrsv2_zeroPivot, "blocked matrices (BSR) are not supported")                                       \
	SLUICE_CUSPARSE_SDCZ(X, bsrsv2_bufferSize, "blocked matrices (BSR) are not supported")                         \
	SLUICE_CUSPARSE_SDCZ(X, bsrsv2_bufferSizeExt, "blocked matrices (BSR) are not supported")                      \
	SLUICE_CUSPARSE_SDCZ(X, bsrsv2_analysis, "blocked matrices (BSR) are not supported")                           \
	SLUICE_CUSPARSE_SDCZ(X, bsrsv2_solve, "blocked matrices (BSR) are not supported")                              \
	SLUICE_CUSPARSE_SDCZ(X, bsrmm, "blocked matrices (BSR) are not supported")                                     \
	X(cusparseXbsrsm2_zeroPivot, "blocked matrices (BSR) are not supported")                                       \
	SLUICE_CUSPARSE_SDCZ(X, bsrsm2_bufferSize, "blocked matrices (BSR) are not supported")                         \
	SLUICE_CUSPARSE_SDCZ(X, bsrsm2_bufferSizeExt, "blocked matrices (BSR) are not supported")                      \
	SLUICE_CUSPARSE_SDCZ(X, bsrsm2_analysis, "blocked matrices (BSR) are not supported")                           \
	SLUICE_CUSPARSE_SDCZ(X, bsrsm2_solve, "blocked matrices (BSR) are not supported")                              \
	SLUICE_CUSPARSE_SDCZ(X, bsrilu02_numericBoost, "blocked matrices (BSR) are not supported")                     \
	X(cusparseXbsrilu02_zeroPivot, "blocked matrices (BSR) are not supported")                                     \
	SLUICE_CUSPARSE_SDCZ(X, bsrilu02_bufferSize, "blocked matrices (BSR) are not supported")                       \
	SLUICE_CUSPARSE_SDCZ(X, bsrilu02_bufferSizeExt, "blocked matrices (BSR) are not supported")                    \
	SLUICE_CUSPARSE_SDCZ(X, bsrilu02_analysis, "blocked matrices (BSR) are not supported")                         \
	SLUICE_CUSPARSE_SDCZ(X, bsrilu02, "blocked matrices (BSR) are not supported")                                  \
	X(cusparseXbsric02_zeroPivot, "blocked matrices (BSR) are not supported")                                      \
	SLUICE_CUSPARSE_SDCZ(X, bsric02_bufferSize, "blocked matrices (BSR) are not supported")                        \
	SLUICE_CUSPARSE_SDCZ(X, bsric02_bufferSizeExt, "blocked matrices (BSR) are not supported")                     \
	SLUICE_CUSPARSE_SDCZ(X, bsric02_analysis, "blocked matrices (BSR) are not supported")                          \
	SLUICE_CUSPARSE_SDCZ(X, bsric02, "blocked matrices (BSR) are not supported")                                   \
	X(cusparseXcsr2bsrNnz, "blocked matrices (BSR) are not supported")                                             \
	SLUICE_CUSPARSE_SDCZ(X, csr2bsr, "blocked matrices (BSR) are not supported")                                   \
	SLUICE_CUSPARSE_SDCZ(X, bsr2csr, "blocked matrices (BSR) are not supported")                                   \
	SLUICE_CUSPARSE_SDCZ(X, gebsr2gebsc_bufferSize, "blocked matrices (BSR) are not supported")                    \
	SLUICE_CUSPARSE_SDCZ(X, gebsr2gebsc_bufferSizeExt, "blocked matrices (BSR) are not supported")                 \
	SLUICE_CUSPARSE_SDCZ(X, gebsr2gebsc, "blocked matrices (BSR) are not supported")                               \
	X(cusparseXgebsr2csr, "blocked matrices (BSR) are not supported")                                              \
	SLUICE_CUSPARSE_SDCZ(X, gebsr2csr, "blocked matrices (BSR) are not supported")                                 \
	SLUICE_CUSPARSE_SDCZ(X, csr2gebsr_bufferSize, "blocked matrices (BSR) are not supported")                      \
	SLUICE_CUSPARSE_SDCZ(X, csr2gebsr_bufferSizeExt, "blocked matrices (BSR) are not supported")                   \
	X(cusparseXcsr2gebsrNnz, "blocked matrices (BSR) are not supported")                                           \
	SLUICE_CUSPARSE_SDCZ(X, csr2gebsr, "blocked matrices (BSR) are not supported")                                 \
	SLUICE_CUSPARSE_SDCZ(X, gebsr2gebsr_bufferSize, "blocked matrices (BSR) are not supported")                    \
	SLUICE_CUSPARSE_SDCZ(X, gebsr2gebsr_bufferSizeExt, "blocked matrices (BSR) are not supported")                 \
	X(cusparseXgebsr2gebsrNnz, "blocked matrices (BSR) are not supported")                                         \
	SLUICE_CUSPARSE_SDCZ(X, gebsr2gebsr, "blocked matrices (BSR) are not supported")                               \
	X(cusparseBsrSetStridedBatch, "blocked matrices (BSR) are not supported")                                      \
	X(cusparseCreateBsr, "blocked matrices (BSR) are not supported")                                               \
	X(cusparseCreateConstBsr, "blocked matrices (BSR) are not supported")                                          \
	X(cusparseCreateCsru2csrInfo, "no kernel sorts entries")                                                       \
	X(cusparseDestroyCsru2csrInfo, "no kernel sorts entries")                                                      \
	X(cusparseXcoosort_bufferSizeExt, "no kernel sorts entries")                                                   \
	X(cusparseXcoosortByRow, "no kernel sorts entries")                                                            \
	X(cusparseXcoosortByColumn, "no kernel sorts entries")                                                         \
	X(cusparseXcsrsort_bufferSizeExt, "no kernel sorts entries")                                                   \
	X(cusparseXcsrsort, "no kernel sorts entries")                                                                 \
	X(cusparseXcscsort_bufferSizeExt, "no kernel sorts entries")                                                   \
	X(cusparseXcscsort, "no kernel sorts entries")                                                                 \
	SLUICE_CUSPARSE_SDCZ(X, csru2csr_bufferSizeExt, "no kernel sorts entries")                                     \
	SLUICE_CUSPARSE_SDCZ(X, csru2csr, "no kernel sorts entries")                                                   \
	SLUICE_CUSPARSE_SDCZ(X, csr2csru, "no kernel sorts entries")                                                   \
	X(cusparseCreateColorInfo, "no kernel colors graphs")                                                          \
	X(cusparseDestroyColorInfo, "no kernel colors graphs")                                                         \
	SLUICE_CUSPARSE_SDCZ(X, csrcolor, "no kernel colors graphs")                                                   \
	X(cusparseCreatePruneInfo, "no kernel prunes")                                                                 \
	X(cusparseDestroyPruneInfo, "no kernel prunes")                                                                \
	SLUICE_CUSPARSE_HSD(X, pruneDense2csr_bufferSizeExt, "no kernel prunes")                                       \
	SLUICE_CUSPARSE_HSD(X, pruneDense2csrNnz, "no kernel prunes")                                                  \
	SLUICE_CUSPARSE_HSD(X, pruneDense2csr, "no kernel prunes")                                                     \
	SLUICE_CUSPARSE_HSD(X, pruneCsr2csr_bufferSizeExt, "no kernel prunes")                                         \
	SLUICE_CUSPARSE_HSD(X, pruneCsr2csrNnz, "no kernel prunes")                                                    \
	SLUICE_CUSPARSE_HSD(X, pruneCsr2csr, "no kernel prunes")                                                       \
	SLUICE_CUSPARSE_HSD(X, pruneDense2csrByPercentage_bufferSizeExt, "no kernel prunes")                           \
	SLUICE_CUSPARSE_HSD(X, pruneDense2csrNnzByPercentage, "no kernel prunes")                                      \
	SLUICE_CUSPARSE_HSD(X, pruneDense2csrByPercentage, "no kernel prunes")                                         \
	SLUICE_CUSPARSE_HSD(X, pruneCsr2csrByPercentage_bufferSizeExt, "no kernel prunes")                             \
	SLUICE_CUSPARSE_HSD(X, pruneCsr2csrNnzByPercentage, "no kernel prunes")                                        \
	SLUICE_CUSPARSE_HSD(X, pruneCsr2csrByPercentage, "no kernel prunes")                                           \
	SLUICE_CUSPARSE_SDCZ(X, gemvi, "use cusparseSpMV or cusparseSpVV")                                             \
	SLUICE_CUSPARSE_SDCZ(X, gemvi_bufferSize, "use cusparseSpMV or cusparseSpVV")                                  \
	SLUICE_CUSPARSE_SDCZ(X, gtsv2_bufferSizeExt, "no kernel solves band matrices")                                 \
	SLUICE_CUSPARSE_SDCZ(X, gtsv2, "no kernel solves band matrices")                                               \
	SLUICE_CUSPARSE_SDCZ(X, gtsv2_nopivot_bufferSizeExt, "no kernel solves band matrices")                         \
	SLUICE_CUSPARSE_SDCZ(X, gtsv2_nopivot, "no kernel solves band matrices")                                       \
	SLUICE_CUSPARSE_SDCZ(X, gtsv2StridedBatch_bufferSizeExt, "no kernel solves band matrices")                     \
	SLUICE_CUSPARSE_SDCZ(X, gtsv2StridedBatch, "no kernel solves band matrices")                                   \
	SLUICE_CUSPARSE_SDCZ(X, gtsvInterleavedBatch_bufferSizeExt, "no kernel solves band matrices")                  \
	SLUICE_CUSPARSE_SDCZ(X, gtsvInterleavedBatch, "no kernel solves band matrices")                                \
	SLUICE_CUSPARSE_SDCZ(X, gpsvInterleavedBatch_bufferSizeExt, "no kernel solves band matrices")                  \
	SLUICE_CUSPARSE_SDCZ(X, gpsvInterleavedBatch, "no kernel solves band matrices")                                \
	SLUICE_CUSPARSE_SDCZ(X, csrgeam2_bufferSizeExt, "no kernel combines two sparse matrices")                      \
	X(cusparseXcsrgeam2Nnz, "no kernel combines two sparse matrices")                                              \
	SLUICE_CUSPARSE_SDCZ(X, csrgeam2, "no kernel combines two sparse matrices")                                    \
	X(cusparseSpGEMM_createDescr, "no kernel combines two sparse matrices")                                        \
	X(cusparseSpGEMM_destroyDescr, "no kernel combines two sparse matrices")                                       \
	X(cusparseSpGEMM_workEstimation, "no kernel combines two sparse matrices")                                     \
	X(cusparseSpGEMM_getNumProducts, "no kernel combines two sparse matrices")                                     \
	X(cusparseSpGEMM_estimateMemory, "no kernel combines two sparse matrices")                                     \
	X(cusparseSpGEMM_compute, "no kernel combines two sparse matrices")                                            \
	X(cusparseSpGEMM_copy, "no kernel combines two sparse matrices")                                               \
	X(cusparseSpGEMMreuse_workEstimation, "no kernel combines two sparse matrices")                                \
	X(cusparseSpGEMMreuse_nnz, "no kernel combines two sparse matrices")                                           \
	X(cusparseSpGEMMreuse_copy, "no kernel combines two sparse matrices")                                          \
	X(cusparseSpGEMMreuse_compute, "no kernel combines two sparse matrices")                                       \
	SLUICE_CUSPARSE_SDCZ(X, nnz, "use cusparseDenseToSparse")                                                      \
	SLUICE_CUSPARSE_SDCZ(X, nnz_compress, "use cusparseDenseToSparse")                                             \
	SLUICE_CUSPARSE_SDCZ(X, csr2csr_compress, "use cusparseDenseToSparse")                                         \
	X(cusparseCsr2cscEx2, "no kernel changes CSR to CSC; operations can transpose")                                \
	X(cusparseCsr2cscEx2_bufferSize, "no kernel changes CSR to CSC; operations can transpose")                     \
	X(cusparseCreateBlockedEll, "matrices in ELL form are not supported")                                          \
	X(cusparseCreateConstBlockedEll, "matrices in ELL form are not supported")                                     \
	X(cusparseBlockedEllGet, "matrices in ELL form are not supported")                                             \
	X(cusparseConstBlockedEllGet, "matrices in ELL form are not supported")                                        \
	X(cusparseCreateSlicedEll, "matrices in ELL form are not supported")                                           \
	X(cusparseCreateConstSlicedEll, "matrices in ELL form are not supported")                                      \
	X(cusparseSpSV_createDescr, "no kernel solves triangles")                                                      \
	X(cusparseSpSV_destroyDescr, "no kernel solves triangles")                                                     \
	X(cusparseSpSV_bufferSize, "no kernel solves triangles")                                                       \
	X(cusparseSpSV_analysis, "no kernel solves triangles")                                                         \
	X(cusparseSpSV_solve, "no kernel solves triangles")                                                            \
	X(cusparseSpSV_updateMatrix, "no kernel solves triangles")                                             \
	X(cusparseSpSM_createDescr, "no kernel solves triangles")                                              \
	X(cusparseSpSM_destroyDescr, "no kernel solves triangles")                                             \
	X(cusparseSpSM_bufferSize, "no kernel solves triangles")                                               \
	X(cusparseSpSM_analysis, "no kernel solves triangles")                                                 \
	X(cusparseSpSM_solve, "no kernel solves triangles")                                                    \
	X(cusparseSpSM_updateMatrix, "no kernel solves triangles")                                             \
	X(cusparseSDDMM_bufferSize, "no kernel computes single numbers of a product")                                  \
	X(cusparseSDDMM_preprocess, "no kernel computes single numbers of a product")                                  \
	X(cusparseSDDMM, "no kernel computes single numbers of a product")                                             \
	X(cusparseSpMMOp_createPlan, "there is no product with operators of a program")                                \
	X(cusparseSpMMOp, "there is no product with operators of a program")                                           \
	X(cusparseSpMMOp_destroyPlan, "there is no product with operators of a program")

#ifdef __cplusplus
#define SLUICE_REFUSED(name, reason) cusparseStatus_t name(...);
#else
#define SLUICE_REFUSED(name, reason) cusparseStatus_t name();
#endif
SLUICE_CUSPARSE_REFUSED(SLUICE_REFUSED)
#undef SLUICE_REFUSED

#endif
