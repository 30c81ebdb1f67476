#pragma once
// set by ops::detail::set_threads()
extern int ops_threads;
