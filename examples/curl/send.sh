curl --fail-with-body --silent --show-error "$POSTHASTE_URL/emails" \
  -H "Authorization: Bearer $POSTHASTE_KEY" -H 'Content-Type: application/json' \
  -d '{ "from": "Acme <hello@example.com>", "to": "ada@example.com", "subject": "Hello from curl", "text": "It works." }'
