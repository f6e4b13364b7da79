/* exception.h: exceptions that report where they were thrown, with the names of CUDA's samples. */
#ifndef COMMON_EXCEPTION_H_
#define COMMON_EXCEPTION_H_

#include <exception>
#include <iostream>
#include <sstream>
#include <stdexcept>
#include <stdlib.h>
#include <string>

template <class Base> class Exception : public Base {
public:
	static void throw_it(const char *file, const int line, const char *detailed = "-")
	{
		std::ostringstream text;
		text << "Exception in file '" << file << "' in line " << line << "\n"
		     << "Detailed description: " << detailed << "\n";
		throw Exception(text.str());
	}
	static void throw_it(const char *file, const int line, const std::string &detailed)
	{
		throw_it(file, line, detailed.c_str());
	}

private:
	explicit Exception(const std::string &text) : Base(text) {}
};

template <class Thrown> inline void handleException(const Thrown &exception)
{
	std::cerr << exception.what() << std::endl;
	exit(EXIT_FAILURE);
}

#define RUNTIME_EXCEPTION(text) Exception<std::runtime_error>::throw_it(__FILE__, __LINE__, text)
#define LOGIC_EXCEPTION(text)   Exception<std::logic_error>::throw_it(__FILE__, __LINE__, text)
#define RANGE_EXCEPTION(text)   Exception<std::range_error>::throw_it(__FILE__, __LINE__, text)

#endif
