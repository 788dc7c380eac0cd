import json
import os
import urllib.request

email = {"from": "Acme <hello@example.com>", "to": "ada@example.com", "subject": "Hello from Python", "text": "It works."}
request = urllib.request.Request(
    f"{os.environ['POSTHASTE_URL']}/emails",
    data=json.dumps(email).encode(),
    headers={"Authorization": f"Bearer {os.environ['POSTHASTE_KEY']}", "Content-Type": "application/json"},
)
with urllib.request.urlopen(request, timeout=30) as answer:
    print(json.load(answer)["id"])
