/* helper_timer.h: stopwatches, with the names of CUDA's samples. Times are host time in milliseconds. */
#ifndef COMMON_HELPER_TIMER_H_
#define COMMON_HELPER_TIMER_H_

#include "sluice/sdk/clock.h"

class StopWatchInterface {
public:
	StopWatchInterface() : watch() {}
	virtual ~StopWatchInterface() {}
	virtual void start() { sdk_watch_start(&watch); }
	virtual void stop() { sdk_watch_stop(&watch); }
	virtual void reset() { sdk_watch_reset(&watch); }
	virtual float getTime() { return sdk_watch_time(&watch); }
	virtual float getAverageTime() { return sdk_watch_average(&watch); }

private:
	struct sdk_watch watch;
};

inline bool sdkCreateTimer(StopWatchInterface **timer)
{
	*timer = new StopWatchInterface;
	return true;
}

inline bool sdkDeleteTimer(StopWatchInterface **timer)
{
	delete *timer;
	*timer = 0;
	return true;
}

inline bool sdkStartTimer(StopWatchInterface **timer)
{
	if (*timer)
		(*timer)->start();
	return true;
}

inline bool sdkStopTimer(StopWatchInterface **timer)
{
	if (*timer)
		(*timer)->stop();
	return true;
}

inline bool sdkResetTimer(StopWatchInterface **timer)
{
	if (*timer)
		(*timer)->reset();
	return true;
}

inline float sdkGetTimerValue(StopWatchInterface **timer)
{
	return *timer ? (*timer)->getTime() : 0.0f;
}

inline float sdkGetAverageTimerValue(StopWatchInterface **timer)
{
	return *timer ? (*timer)->getAverageTime() : 0.0f;
}

#endif
