from django.apps import AppConfig


class AnnotateConfig(AppConfig):
    name = "annotate"
    verbose_name = "Annotation"

    def ready(self) -> None:
        from annotate import listeners  # noqa: F401  (connects to this app's signals)
        from annotate.crowds import people, postings  # noqa: F401  (kinds)
