/* print: readable output of energies. */
#include "energy/price.h"

#include <math.h>
#include <string.h>

enum { AMOUNT = 24 };

/* "12.34 mJ" */
static const char *amount(double value, const char *unit, char text[AMOUNT])
{
	static const struct {
		double least;
		const char *prefix;
	} steps[] = {{1, ""}, {1e-3, "m"}, {1e-6, "u"}, {1e-9, "n"}, {0, "p"}};
	size_t step = 0;
	while (value < steps[step].least * 0.99995)
		step++;
	double scale = steps[step].least > 0 ? steps[step].least : 1e-12;
	snprintf(text, AMOUNT, "%.4g %s%s", value ? value / scale : 0, value ? steps[step].prefix : "", unit);
	return text;
}

static void print_component(FILE *file, const struct energy_prices *prices, const struct energy_account *account,
                            size_t component, double total)
{
	struct energy_sum sum = energy_of_component(prices, account, component);
	double joules = sum.dynamic + sum.constant;
	char all[AMOUNT], constant[AMOUNT];
	if (!joules)
		return;
	fprintf(file, "    %-18s %12s %8.2f W %5.1f %%", prices->components[component].name, amount(joules, "J", all),
	        account->seconds > 0 ? joules / account->seconds : 0, total > 0 ? 100 * joules / total : 0);
	if (sum.constant > 0)
		fprintf(file, "   %s of it constant", amount(sum.constant, "J", constant));
	fputc('\n', file);
}

void energy_print(FILE *file, const struct energy_prices *prices, const struct energy_account *account)
{
	struct energy_sum sum = energy_of_all(prices, account);
	double total = sum.dynamic + sum.constant;
	char joules[AMOUNT], seconds[AMOUNT], delay[AMOUNT], instruction[AMOUNT];
	fprintf(file, "  %-14s%s in %s", "energy", amount(total, "J", joules), amount(account->seconds, "s", seconds));
	if (account->seconds > 0)
		fprintf(file, ", %.1f W, energy-delay %s", total / account->seconds,
		        amount(total * account->seconds, "J s", delay));
	if (account->thread_instructions > 0)
		fprintf(file, ", %s per thread instruction",
		        amount(total / account->thread_instructions, "J", instruction));
	fputc('\n', file);
	for (size_t i = 0; i < prices->component_count; i++)
		print_component(file, prices, account, i, total);
}

static void print_price(FILE *file, const struct energy_prices *prices, const struct energy_account *account,
                        size_t number)
{
	const struct energy_price *price = &prices->prices[number];
	char text[AMOUNT], joules[AMOUNT];
	const char *unit = price->amount ? "J" : "W";
	fprintf(file, "  %-14s %-30s %11s", prices->components[price->component].name, price->name,
	        amount(price->value, unit, text));
	if (account)
		fprintf(file, " %12s", amount(account->joules[number], "J", joules));
	const char *when = price->amount ? "" : price->always ? ", always" : ", while a kernel runs";
	fprintf(file, "\n      %s %s%s\n      %s\n", price->amount ? "per event of" : "all of",
	        price->text ? price->text : "1", when, price->source);
}

void energy_print_prices(FILE *file, const struct energy_prices *prices, const struct energy_account *account)
{
	fprintf(file, "%s\n", prices->table->title);
	fprintf(file, "  %-14s %-30s %11s%s\n", "COMPONENT", "WHAT", "PRICE", account ? "     TOGETHER" : "");
	for (size_t i = 0; i < prices->price_count; i++)
		print_price(file, prices, account, i);
}
