"""TRACE scores, RMSE in three modes and their tiers: pure mathematics on labels."""
