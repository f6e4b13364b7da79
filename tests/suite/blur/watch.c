#include <cutil.h>

/* A timer that another source has made. */
float stop_watch(unsigned int timer)
{
	float time;
	CUT_SAFE_CALL(cutStopTimer(timer));
	time = cutGetTimerValue(timer);
	CUT_SAFE_CALL(cutResetTimer(timer));
	return cutGetTimerValue(timer) == 0 ? time : -1;
}
