"""Figures for Prometheus. Of minds that are closed nothing is told but that there are so many: none is opened to count.

What concerns minds is the owner's to tell; a server that works through another process tells its own requests only.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import fields

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, disable_created_metrics, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from ebbtide.core.errors import EbbtideError
from ebbtide.host.host import Host
from ebbtide.host.ownership import House
from ebbtide.host.schedule import Scheduler, Totals
from ebbtide.host.timetable import Figures
from ebbtide.mind import Mind

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
disable_created_metrics()  # type: ignore[no-untyped-call]  # a third of the text, and of no use here
_BUCKETS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0)
_OF_A_RUN = ("seconds", "seen", "changed", "skipped", "conflicts", "discarded", "deferred")


class Metrics:
    """One server's. `scheduler` is there while this process owns the data folder."""

    def __init__(self) -> None:
        self.scheduler: Scheduler | None = None
        self._registry = CollectorRegistry()
        self._requests = Counter(
            "ebbtide_http_requests", "Requests answered.", ("method", "route", "status"), registry=self._registry
        )
        self._seconds = Histogram(
            "ebbtide_http_request_seconds", "How long they took.", ("route",), buckets=_BUCKETS, registry=self._registry
        )
        self._searches = Histogram(
            "ebbtide_search_seconds", "Searches, by whichever way they came.", buckets=_BUCKETS, registry=self._registry
        )
        self._owner = Gauge(
            "ebbtide_owner", "Whether this process owns the data folder: 1, or 0.", registry=self._registry
        )

    def answered(self, method: str, route: str, status: int, seconds: float) -> None:
        known = method if method in ("GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS") else "other"
        self._requests.labels(known, route, str(status)).inc()
        self._seconds.labels(route).observe(seconds)

    def searched(self, seconds: float) -> None:
        self._searches.observe(seconds)

    async def text(self, house: House) -> bytes:
        self._owner.set(house.owner)
        families: list[Metric] = [] if house.host is None else await _of_minds(house.host)
        if self.scheduler is not None:
            families += [*_of_runs(self.scheduler), *_of_jobs(self.scheduler)]
        return generate_latest(self._registry) + generate_latest(_once(families))


class _Families(Collector):
    def __init__(self, families: Sequence[Metric]) -> None:
        self._families = families

    def collect(self) -> Iterable[Metric]:
        return self._families


def _once(families: Sequence[Metric]) -> CollectorRegistry:
    registry = CollectorRegistry(auto_describe=False)
    registry.register(_Families(families))
    return registry


# ---- minds


async def _of_minds(host: Host) -> list[Metric]:
    minds = GaugeMetricFamily("ebbtide_minds", "Minds in the data folder.", labels=("open",))
    memories = GaugeMetricFamily("ebbtide_memories", "Memories of open minds.", labels=("agent", "state"))
    queue = GaugeMetricFamily("ebbtide_queue_tasks", "Tasks that wait, or were set aside.", labels=("agent", "state"))
    waiting = GaugeMetricFamily("ebbtide_index_waiting", "Memories not yet to be found so.", labels=("agent", "by"))
    entries = GaugeMetricFamily("ebbtide_journal_entries", "Entries in the journal.", labels=("agent",))
    opened = host.opened()
    minds.add_metric(("yes",), len(opened))
    minds.add_metric(("no",), max(0, len(host.agents()) - len(opened)))
    for agent in opened:
        try:
            async with host.mind(agent) as mind:
                await _of_mind(mind, memories, queue, waiting, entries)
        except EbbtideError:  # it has gone meanwhile, or its disk has: the others are told all the same
            continue
    return [minds, memories, queue, waiting, entries]


async def _of_mind(
    mind: Mind,
    memories: GaugeMetricFamily,
    queue: GaugeMetricFamily,
    waiting: GaugeMetricFamily,
    entries: GaugeMetricFamily,
) -> None:
    stats = await mind.stats()
    for state, count in stats.states.items():
        memories.add_metric((mind.agent, str(state)), count)
    entries.add_metric((mind.agent,), stats.store.journal_entries)
    tasks = await mind.queue()
    aside = sum(task.error is not None for task in tasks)
    queue.add_metric((mind.agent, "waiting"), len(tasks) - aside)
    queue.add_metric((mind.agent, "set aside"), aside)
    if info := await mind.indexed():
        waiting.add_metric((mind.agent, "words"), info.unread)
        waiting.add_metric((mind.agent, "meaning"), info.unembedded)


# ---- runs


def _of_runs(scheduler: Scheduler) -> Iterator[Metric]:
    """The last run of each job in each mind, and how many there were."""
    labels = ("agent", "job")
    runs = CounterMetricFamily("ebbtide_runs", "Runs that came to an end.", labels=labels)
    failures = CounterMetricFamily("ebbtide_run_failures", "Runs that did not end well.", labels=labels)
    due = GaugeMetricFamily("ebbtide_run_due_timestamp_seconds", "When the next is due.", labels=labels)
    last = {
        name: GaugeMetricFamily(f"ebbtide_run_last_{name}", f"Of the last run: {name}.", labels=labels)
        for name in (*_OF_A_RUN, "at")
    }
    for agent, jobs in scheduler.status().minds.items():
        for job, known in jobs.items():
            runs.add_metric((agent, job), known.runs)
            failures.add_metric((agent, job), known.failures)
            if known.due is not None:
                due.add_metric((agent, job), known.due)
            for name, value in _figures(known.last):
                last[name].add_metric((agent, job), value)
    yield from (runs, failures, due, *last.values())


def _figures(last: Figures | None) -> Iterator[tuple[str, float]]:
    if last is not None:
        yield from ((name, getattr(last, name)) for name in (*_OF_A_RUN, "at"))


def _of_jobs(scheduler: Scheduler) -> Iterator[Metric]:
    """All runs of each job since the server was started."""
    for figure in fields(Totals):
        family = CounterMetricFamily(f"ebbtide_job_{figure.name}", f"In all minds: {figure.name}.", labels=("job",))
        for job, totals in scheduler.metrics.items():
            family.add_metric((job,), getattr(totals, figure.name))
        yield family
