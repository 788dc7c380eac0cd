// What the mail of a broadcast is measured against: nodemailer's own pool, which signs the same bytes and stores nothing.
import { generateKeyPairSync } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createTransport } from 'nodemailer'
import { CONNECTIONS, SENDING_DOMAIN } from './email.ts'

const [port = '0', warmUp = '0', count = '0', file = ''] = process.argv.slice(2)
const raw = readFileSync(file)
const { privateKey } = generateKeyPairSync('rsa', {
  modulusLength: 2048,
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  publicKeyEncoding: { type: 'spki', format: 'pem' },
})
const transport = createTransport({
  pool: true,
  host: '127.0.0.1',
  port: Number(port),
  secure: false,
  ignoreTLS: true,
  maxConnections: CONNECTIONS,
  maxMessages: 100,
  dkim: { domainName: SENDING_DOMAIN, keySelector: 'bench', privateKey },
})
const envelopeAt = (index: number) => ({ from: `news@${SENDING_DOMAIN}`, to: [`customer${index}@example.org`] })
const send = (many: number) =>
  Promise.all(Array.from({ length: many }, (_, index) => transport.sendMail({ raw, envelope: envelopeAt(index) })))
await send(Number(warmUp))
process.send?.('warm')
// Told to continue when what was sent so far has been counted.
await new Promise((resolve) => process.once('message', resolve))
await send(Number(count))
transport.close()
process.disconnect()
