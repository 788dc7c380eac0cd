import os
import smtplib
from email.message import EmailMessage
from email.policy import SMTP

message = EmailMessage()
message["From"] = "Acme <hello@example.com>"
message["To"] = "ada@example.com"
message["Subject"] = "Hello over SMTP"
message.set_content("It works.")

server = smtplib.SMTP(os.environ.get("POSTHASTE_SMTP_HOST", "localhost"), int(os.environ.get("POSTHASTE_SMTP_PORT", "2587")), timeout=30)
# Another machine than this one wants server.starttls() first.
server.login("posthaste", os.environ["POSTHASTE_KEY"])
server.mail("hello@example.com")
server.rcpt("ada@example.com")
_, answer = server.data(message.as_bytes(policy=SMTP))
print(answer.decode())
server.quit()
