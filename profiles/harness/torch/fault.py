class Fault(Exception):
    """What the user can mend: printed as one line, without a traceback."""
