"""Value structs of the Radiography module as Python sees them: attributes, keyword arguments, repr, ==, copies and pickles."""


def make_record(cls, fields):
    """Turns the readers and writers _get_x and _set_x of a wrapped struct into attributes x.

    Attributes are values: what is read is a copy, and `record.point[0] = 1` changes the copy. Assign the whole field.
    """
    construct = cls.__init__

    def __init__(self, *args, **values):
        construct(self, *args)
        for name, value in values.items():
            setattr(self, name, value)

    def __setattr__(self, name, value):
        if name not in fields and name not in ("this", "thisown"):
            raise AttributeError(f"{cls.__name__} has no field {name!r}; it has {', '.join(fields)}")
        object.__setattr__(self, name, value)

    def __repr__(self):
        values = ", ".join(f"{name}={getattr(self, name)!r}" for name in fields)
        return f"{cls.__name__}({values})"

    __init__.__doc__ = f"{cls.__name__}({', '.join(name + '=...' for name in fields)})"
    for name in fields:
        setattr(cls, name, property(getattr(cls, f"_get_{name}"), getattr(cls, f"_set_{name}")))
    cls.__init__ = __init__
    cls.__setattr__ = __setattr__
    cls.__repr__ = __repr__
    cls.fields = tuple(fields)
