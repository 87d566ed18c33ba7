from __future__ import annotations

import pytest

from gpts.allowed import Allowed, Argument, BadAllowList, problem, read_allowed

LIST = read_allowed(
    [
        {"argv": ["git", "log"], "options": ["--oneline", "-n N", "--since=WHEN"]},
        {"argv": ["git", "grep"], "options": ["-i"], "operands": 2},
        {"argv": ["sort"], "operands": 1},
        ["git", "show", "--stat", "{ref}"],
    ]
)


def refused(*words: str, **values: str) -> str:
    argv = [Argument(word, word.format(**values) if values else word) for word in words]
    return problem(argv, LIST)


class RefusedTests:
    @pytest.mark.parametrize(
        "line",
        [
            "git fetch --upload-pa=./x origin",
            "git grep -iO./x a",
            "find . -fls out",
            "sort --compress-prog=./x f",
            "git -c core.pager=./x log",
            "git --config-env=core.pager=X log",
            "tar xfC a.tar /tmp",
            "git",
            "git log --onelin",
            "git log --oneline --output=x",
            "git log -n",
            "git log -n -n",
            "git log -n --oneline",
            "git log -n --output=x",
            "git log -n5",
            "git log --since",
            "git log --since=",
            "git log main",
            "git log -- a",
            "git grep a b c",
            "sort -o f",
            "sort -",
            "GIT log",
            "./git log",
            "git show --stat HEAD",
            "sh -c ls",
        ],
    )
    def test_it_refuses_what_is_not_literally_allowed(self, line):
        assert refused(*line.split())

    def test_it_refuses_a_value_that_becomes_an_option(self):
        assert refused("git", "show", "--stat", "{ref}", ref="--output=x")
        assert refused("git", "grep", "{word}", word="-O./x")

    def test_it_refuses_everything_without_a_list(self):
        assert problem([Argument("ls", "ls")], ())


class AllowedTests:
    @pytest.mark.parametrize(
        "line",
        [
            "git log",
            "git log --oneline -n 5 --since=yesterday",
            "git grep -i a",
            "git grep -i -- -x",
            "sort f",
        ],
    )
    def test_it_allows_the_prefix_with_listed_options(self, line):
        assert refused(*line.split()) == ""

    def test_it_allows_a_whole_command_with_its_placeholder(self):
        assert refused("git", "show", "--stat", "{ref}", ref="HEAD") == ""


class SettingTests:
    @pytest.mark.parametrize(
        "setting",
        [
            {},
            "git log",
            ["git log"],
            [[]],
            [[1]],
            [{"argv": []}],
            [{"argv": ["git"], "options": ["stat"]}],
            [{"argv": ["git"], "operands": -1}],
            [{"argv": ["git"], "operands": True}],
            [{"argv": ["git"], "option": []}],
            [["sh", "-c", "ls"]],
            [["/bin/bash"]],
            [{"argv": ["env", "ls"]}],
        ],
    )
    def test_it_refuses_a_setting_it_cannot_keep(self, setting):
        with pytest.raises(BadAllowList):
            read_allowed(setting)

    def test_it_reads_both_forms(self):
        assert LIST[0] == Allowed(
            ("git", "log"), ("--oneline", "-n N", "--since=WHEN"), 0
        )
        assert LIST[3].options is None
