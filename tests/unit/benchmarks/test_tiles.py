"""Forms of register tiles that are timed on a GPU: each is another kernel, and all hold the same product."""

from __future__ import annotations

from benchmarks.gpu.tiles import forms, program


def test_each_form_is_another_program_that_loads_ahead_where_it_says_so() -> None:
    written = {form: program(form) for form in forms()}
    assert len(written) == len(set(written.values())) > 40
    for form, text in written.items():
        assert ("load_next(start + " in text) == form.is_ahead, form.name
        kernel = text[: text.index("#include")]
        assert ("alpha *" in kernel) == form.is_scaled, form.name
        assert '\\"us\\"' in text
