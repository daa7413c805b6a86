from django.apps import AppConfig


class EstimationConfig(AppConfig):
    name = "estimation"
    verbose_name = "Estimation"

    def ready(self) -> None:
        from estimation import listeners  # noqa: F401  (connects to annotate's signals)
