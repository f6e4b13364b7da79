/* Counts the letters of a text on the device and on the host. */
#include <stdio.h>
#include <string.h>

#define BINS 26
#define MOST 65536

int count_letters(const char *text, int length, unsigned *bins, unsigned *longest);

int main(void)
{
	static char text[MOST];
	unsigned bins[BINS] = {0}, wanted[BINS] = {0}, longest = 0;
	int length = (int)fread(text, 1, sizeof text, stdin), wrong = 0;
	if (count_letters(text, length, bins, &longest))
		return 1;
	for (int i = 0; i < length; i++)
		if ((text[i] | 32) >= 'a' && (text[i] | 32) <= 'z')
			wanted[(text[i] | 32) - 'a']++;
	for (int i = 0; i < BINS; i++) {
		wrong += bins[i] != wanted[i];
		if (bins[i])
			printf("%c %u\n", 'a' + i, bins[i]);
	}
	printf("longest word: %u letters\n%s\n", longest, wrong ? "FAIL" : "PASS");
	return wrong != 0;
}
