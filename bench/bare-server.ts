// What accepting is measured against: Fastify that answers an id, and Fastify that stores one row first.
import Fastify from 'fastify'
import pg from 'pg'
import { v7 } from 'uuid'

const [port = '0', databaseUrl] = process.argv.slice(2)
const CONNECTIONS_MAX = 20

const app = Fastify({ logger: false })
if (databaseUrl === undefined) {
  app.post('/emails', async () => ({ id: v7() }))
} else {
  const pool = new pg.Pool({ connectionString: databaseUrl, max: CONNECTIONS_MAX })
  await pool.query('create table if not exists bench_emails (id uuid primary key, body jsonb not null, created_at timestamptz not null)')
  app.post('/emails', async ({ body }) => {
    const id = v7()
    await pool.query({ name: 'insert', text: 'insert into bench_emails values ($1, $2, now())', values: [id, JSON.stringify(body)] })
    return { id }
  })
  app.addHook('onClose', () => pool.end())
}
app.get('/health/ready', async () => ({ status: 'ok' }))
await app.listen({ host: '127.0.0.1', port: Number(port) })
process.once('SIGTERM', () => void app.close())
