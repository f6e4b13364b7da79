#include <cutil.h>

/* Reads a timer that another source created. */
float stop_watch(unsigned int timer)
{
	float time;
	CUT_SAFE_CALL(cutStopTimer(timer));
	time = cutGetTimerValue(timer);
	CUT_SAFE_CALL(cutResetTimer(timer));
	return cutGetTimerValue(timer) == 0 ? time : -1;
}
