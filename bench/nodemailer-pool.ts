// What delivering is measured against: nodemailer's own pool, which stores nothing and forgets everything.
import { createTransport } from 'nodemailer'
import { CONNECTIONS, email, largeEmail } from './email.ts'

const [port = '0', warmUp = '0', count = '0', size = 'small'] = process.argv.slice(2)
const emailAt = size === 'large' ? largeEmail : email
const transport = createTransport({
  pool: true,
  host: '127.0.0.1',
  port: Number(port),
  secure: false,
  ignoreTLS: true,
  maxConnections: CONNECTIONS,
  maxMessages: 100,
})
const send = (many: number) => Promise.all(Array.from({ length: many }, (_, index) => transport.sendMail(emailAt(index))))
await send(Number(warmUp))
process.send?.('warm')
// Told to continue when what was sent so far has been counted.
await new Promise((resolve) => process.once('message', resolve))
await send(Number(count))
transport.close()
process.disconnect()
