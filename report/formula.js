// Formulas over a run's figures, with the syntax of `sluice results --counter`: numbers, + - * / ( ) and names.

// Returns a function of a subject, which has value(name). Throws an Error that describes the problem. `known` tells
// whether a name is allowed.
function parseFormula(text, known) {
	const words = text.match(/[0-9.]+(?:[eE][+-]?[0-9]+)?|[A-Za-z_][\w.]*|\S/g) ?? [];
	let at = 0;
	const take = (...wanted) => (wanted.includes(words[at]) ? words[at++] : null);

	function factor() {
		const word = words[at++];
		if (word === undefined)
			throw new Error("the formula ends too early");
		if (word === "-") {
			const of = factor();
			return (subject) => -of(subject);
		}
		if (word === "(") {
			const inner = sum();
			if (!take(")"))
				throw new Error("a closing parenthesis is missing");
			return inner;
		}
		if (/^[0-9.]/.test(word)) {
			const number = Number(word);
			if (Number.isNaN(number))
				throw new Error(`'${word}' is not a number`);
			return () => number;
		}
		if (!/^[A-Za-z_]/.test(word))
			throw new Error(`expected a number or a name, not '${word}'`);
		if (!known(word))
			throw new Error(`no counter or figure is called '${word}'`);
		return (subject) => subject.value(word);
	}

	function chain(part, operators) {
		let left = part();
		for (let operator; (operator = take(...operators));) {
			const one = left, other = part();
			left = {
				"+": (subject) => one(subject) + other(subject),
				"-": (subject) => one(subject) - other(subject),
				"*": (subject) => one(subject) * other(subject),
				"/": (subject) => one(subject) / other(subject),
			}[operator];
		}
		return left;
	}

	const product = () => chain(factor, ["*", "/"]);
	const sum = () => chain(product, ["+", "-"]);
	const formula = sum();
	if (at < words.length)
		throw new Error(`'${words[at]}' is not expected there`);
	return formula;
}
