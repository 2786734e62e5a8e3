"""Ask within a budget: which questions are worth paying for, and how often.

A crowd judges photos of people: 37 yes-no questions and two guesses of numbers. From some photos with known heights we
learn what to ask of new ones.
"""

# %% Judgments with a known truth; yours would be a frame of object, attribute, worker and value.
import numpy as np

import beanjar

photos = beanjar.simulate.photos(objects=120, judgments=4, frames="pandas")
heights = photos.truth[["object", "height"]]
print(photos.judgments.head())

# %% How far can one answer be trusted?
inspection = beanjar.inspect(photos.judgments)
reliable = inspection.attributes.sort_values("icc", ascending=False)
print(reliable[["attribute", "icc", "needed"]].head())

# %% What to ask, if 30 answers can be paid for each photo and a guess costs as much as four yes-no answers?
selection = beanjar.select(photos.judgments, heights, budget=30, costs={"height": 4, "weight": 4})
print(selection.repeats)
print("expected squared error:", selection.expected_loss)
assert selection.to_dict()["spent"] <= 30
assert 0 < selection.expected_loss < np.var(heights["height"])

# %% What is still to be collected, and a predictor of it. As an estimator it is one line.
print(selection.plan().to_frame().head())
selector = beanjar.MultiSelector(budget=30, costs={"height": 4, "weight": 4}).fit(photos.judgments, heights)
new = beanjar.simulate.photos(objects=60, judgments=4, seed=1, frames="pandas")
error = np.mean((selector.predict(new.judgments) - new.truth["height"]) ** 2)
print("squared error on new photos:", error)
assert error < np.var(new.truth["height"])
