"""What every process of ours leaves on the user's disk: temporary folders that go with their owner, a cache that stays small."""
