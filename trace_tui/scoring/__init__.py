"""TRACE scores, RMSE in three modes and their tiers: pure mathematics on labels."""

from trace_tui.scoring.counts import Counts, Summary, count
from trace_tui.scoring.means import SCORE_NAMES, Mean, RunningMeans
from trace_tui.scoring.rmse import (
    BatchRMSE,
    Errors,
    MetricRMSE,
    RMSECalculator,
    RunningBatch,
    TraceRMSE,
    batch,
    errors,
)
from trace_tui.scoring.scores import METRICS, AdvancedTRACEScores, Definition, FourScores, scores
from trace_tui.scoring.tiers import TIERS, Tier, tier

__all__ = [
    "METRICS",
    "SCORE_NAMES",
    "TIERS",
    "AdvancedTRACEScores",
    "BatchRMSE",
    "Counts",
    "Definition",
    "Errors",
    "FourScores",
    "Mean",
    "MetricRMSE",
    "RMSECalculator",
    "RunningBatch",
    "RunningMeans",
    "Summary",
    "Tier",
    "TraceRMSE",
    "batch",
    "count",
    "errors",
    "scores",
    "tier",
]
