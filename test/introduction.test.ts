import { expect, it } from 'vitest'
import { readConfig } from '../src/config.ts'
import { deliveryOf } from '../src/introduction.ts'

it.each([
  ['smtp://mail.example.com', 'mail.example.com:587, over TLS where it is offered'],
  ['smtps://mail.example.com', 'mail.example.com:465, over TLS only'],
  ['smtp://anna:hunter2@mail.example.com', 'mail.example.com:587, over TLS only'],
  [
    'smtp://anna:hunter2@mail.example.com?requireTLS=false',
    'mail.example.com:587, over TLS where it is offered, otherwise with the password in the clear (requireTLS=false)',
  ],
  ['smtps://anna:hunter2@mail.example.com?tls.rejectUnauthorized=false', 'mail.example.com:465, over TLS only, whatever its certificate'],
  ['smtp://anna:hunter2@[::1]:25', '[::1]:25, over TLS where it is offered (this machine; the password may go without TLS)'],
  ['smtp://127.0.0.1:2526', '127.0.0.1:2526, over TLS where it is offered (this machine)'],
])('says who can read what goes to %s', (url, expected) => {
  expect(deliveryOf(readConfig({ SMTP_RELAY_URL: url }))).toBe(`relay: mail goes to ${expected}`)
})
