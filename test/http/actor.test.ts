import Fastify from 'fastify'
import { expect, it } from 'vitest'
import { actors } from '../../src/http/actor.ts'
import { type Caller, operations } from '../../src/http/operation.ts'

const KEY: Caller = { teamId: 'team', apiKeyId: 'key', permission: 'full_access', domainId: null }

it.each<[string, Partial<Caller>, { kind: string; id: string; name?: string }]>([
  ['a key', {}, { kind: 'key', id: 'key' }],
  ['a grant', { scopes: [], grant: { id: 'grant', personId: null } }, { kind: 'grant', id: 'grant' }],
  [
    'a person',
    { scopes: [], person: { id: 'ada', email: 'ada@people.example', name: 'Ada', role: 'owner', sessionId: 's', confirmedAt: null } },
    { kind: 'person', id: 'ada', name: 'ada@people.example' },
  ],
])('is %s, with the address and the program of its request', async (_what, more, actor) => {
  const app = Fastify()
  operations(app)
  actors(app)
  app.decorateRequest('holder', null)
  app.addHook('onRequest', async (request) => {
    request.holder = { ...KEY, ...more }
  })
  app.get('/', async (request) => request.actor)
  const answerTo = async (userAgent: string) =>
    (await app.inject({ url: '/', remoteAddress: '198.51.100.7', headers: { 'user-agent': userAgent } })).json()
  expect(await answerTo('client/1.0')).toEqual({ name: null, ...actor, address: '198.51.100.7', userAgent: 'client/1.0' })
  expect((await answerTo('é'.repeat(600))).userAgent).toHaveLength(512)
  expect((await answerTo('')).userAgent).toBeNull()
})
