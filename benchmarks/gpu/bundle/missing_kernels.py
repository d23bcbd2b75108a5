def __getattr__(name: str) -> object:  # names that SGLang 0.5.9 imports and this release of the kernels has dropped
    if name.startswith("__") or name.endswith("_ops") or name == "flash_attn":
        raise AttributeError(name)

    def missing(*_arguments: object, **_named: object) -> object:
        raise NotImplementedError(f"sgl_kernel.{name} is not in the bundle")

    return missing
