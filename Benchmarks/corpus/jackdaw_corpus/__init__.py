"""Synthetic sound for measuring Jackdaw: card swipes with known text, and sound that is no swipe at all.

Nothing here shares code with the decoder or with its Swift encoder, so that a mistake in one cannot hide in the other.
"""
