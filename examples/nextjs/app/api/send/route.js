import { Resend } from 'resend'

const posthaste = new Resend(process.env.POSTHASTE_KEY, { baseUrl: process.env.POSTHASTE_URL })

export async function POST() {
  const { data, error } = await posthaste.emails.send({
    from: 'Acme <hello@example.com>',
    to: 'ada@example.com',
    subject: 'Hello from Next.js',
    text: 'It works.',
  })
  return error ? Response.json(error, { status: error.statusCode ?? 500 }) : Response.json(data)
}
