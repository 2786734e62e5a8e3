"""Other packages for aggregation, each in a venv of its own where it needs older packages."""

import os
import subprocess
import sys

from compare import HERE


def crowd_kit_python():
    """The interpreter of crowd-kit's venv."""
    folder = os.path.join(HERE, ".venv-crowd-kit")
    python = os.path.join(folder, "bin", "python")
    if not os.path.exists(python):
        subprocess.run([sys.executable, "-m", "venv", folder], check=True)
        packages = ["crowd-kit==1.4.*", "scikit-learn==1.5.*", "pandas==2.2.*", "numpy==2.2.*"]
        subprocess.run([python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *packages], check=True)
    return python
