import { Resend } from 'resend'

const posthaste = new Resend(process.env.POSTHASTE_KEY, { baseUrl: process.env.POSTHASTE_URL })
const { data, error } = await posthaste.emails.send({
  from: 'Acme <hello@example.com>',
  to: 'ada@example.com',
  subject: 'Hello from Node.js',
  text: 'It works.',
})
if (error) throw new Error(error.message)
process.stdout.write(`${data.id}\n`)
