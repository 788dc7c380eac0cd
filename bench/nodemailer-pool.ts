// What delivering is measured against: nodemailer's own pool, which stores nothing and forgets everything.
import { createTransport } from 'nodemailer'
import { CONNECTIONS, email } from './email.ts'

const [port = '0', count = '0'] = process.argv.slice(2)
const transport = createTransport({
  pool: true,
  host: '127.0.0.1',
  port: Number(port),
  secure: false,
  ignoreTLS: true,
  maxConnections: CONNECTIONS,
  maxMessages: 100,
})
await Promise.all(Array.from({ length: Number(count) }, (_, index) => transport.sendMail(email(index))))
transport.close()
