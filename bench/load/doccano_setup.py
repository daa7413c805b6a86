"""Make a project in doccano's database, with its own code; doccano's Python runs this.

Arguments: the folder of its `manage.py`, how many texts, how many annotators. Prints one line of
JSON: the ids of the project and of a category, and the annotators' tokens.
"""

import json
import sys

import django

WORDS = [f"word{n}" for n in range(17)]


def text(number: int) -> str:
    """Return some forty words that no other number has in this order."""
    return " ".join(WORDS[(number * k + k * k) % len(WORDS)] for k in range(1, 41))


def make(texts: int, annotators: int) -> dict[str, object]:
    from django.contrib.auth.models import User
    from examples.models import Example
    from label_types.models import CategoryType
    from projects.models import Member, TextClassificationProject
    from rest_framework.authtoken.models import Token
    from roles.models import Role

    owner = User.objects.create_superuser("owner")
    project = TextClassificationProject.objects.create(
        name="load",
        created_by=owner,
        project_type="DocumentClassification",
        single_class_classification=True,
    )
    categories = [CategoryType.objects.create(project=project, text=f"level {n}") for n in range(3)]
    Example.objects.bulk_create(
        [Example(project=project, text=text(n)) for n in range(texts)], batch_size=1000
    )
    role = Role.objects.get(name="annotator")
    users = [User.objects.create_user(f"annotator{n}") for n in range(annotators)]
    for user in users:
        Member.objects.create(project=project, user=user, role=role)
    tokens = [Token.objects.create(user=user).key for user in users]
    return {"project": project.pk, "category": categories[0].pk, "tokens": tokens}


if __name__ == "__main__":
    sys.path.insert(0, sys.argv[1])
    django.setup()
    print(json.dumps(make(int(sys.argv[2]), int(sys.argv[3]))))
