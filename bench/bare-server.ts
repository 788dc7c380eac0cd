// What accepting is measured against: Fastify that answers an id, and Fastify that stores one row first. The port is in PORT.
import Fastify from 'fastify'
import pg from 'pg'
import { v7 } from 'uuid'

const databaseUrl = process.env.DATABASE_URL
const CONNECTIONS_MAX = 20

const app = Fastify({ logger: false })
if (databaseUrl === undefined) {
  app.post('/emails', async () => ({ id: v7() }))
} else {
  const pool = new pg.Pool({ connectionString: databaseUrl, max: CONNECTIONS_MAX })
  await pool.query('create table if not exists bare_emails (id uuid primary key, body jsonb not null, created_at timestamptz not null)')
  app.post('/emails', async ({ body }) => {
    const id = v7()
    await pool.query({ name: 'insert', text: 'insert into bare_emails values ($1, $2, now())', values: [id, JSON.stringify(body)] })
    return { id }
  })
  app.addHook('onClose', () => pool.end())
}
app.get('/health/ready', async () => ({ status: 'ok' }))
await app.listen({ host: '127.0.0.1', port: Number(process.env.PORT) })
process.once('SIGTERM', () => void app.close())
