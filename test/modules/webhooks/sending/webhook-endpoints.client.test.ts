import { expect, it } from 'vitest'
import { createWebhookEndpoints } from '../../../../src/modules/webhooks/sending/webhook-endpoints.client.ts'

const ADDRESSES: Record<string, string[]> = {
  'public.example': ['93.184.215.14'],
  'inside.example': ['10.0.0.1', '169.254.169.254'],
  'mixed.example': [...Array.from({ length: 19 }, (_, index) => `93.184.215.${index}`), '10.0.0.1'],
}

const endpoints = (allowPrivateNetworks = false) =>
  createWebhookEndpoints({
    allowPrivateNetworks,
    dns: {
      async ask(host, type) {
        const values = type === 'A' ? ADDRESSES[host] : undefined
        return values ? { kind: 'records', values } : { kind: 'absent' }
      },
    },
  })

const WITHOUT_USER = 'must be a URL without user and password'
const NO_HOST = 'must be a URL with a valid host and port'
const WITH_SPACE = 'must be a URL without spaces and control characters'
const NEAR =
  'For a program on your machine, run `posthaste webhooks listen`; for one beside the service, its operator sets `ALLOW_PRIVATE_NETWORKS=true`'
const NOT_PUBLIC = `must be a URL of a host on the public internet. ${NEAR}`
const NOT_HTTPS = `must be an \`https\` URL. ${NEAR}`

it.each([
  ['https://public.example/hook', null],
  // The addresses are checked again for each connection, and only public ones are used.
  ['https://mixed.example/hook', null],
  ['https://inside.example/hook', NOT_PUBLIC],
  ['https://localhost/hook', NOT_PUBLIC],
  ['https://127.0.0.1/hook', NOT_PUBLIC],
  ['https://2130706433/hook', NOT_PUBLIC],
  ['https://[::1]/hook', NOT_PUBLIC],
  ['https://[::ffff:10.0.0.1]/hook', NOT_PUBLIC],
  ['https://unknown.example/hook', null],
  ['http://public.example/hook', NOT_HTTPS],
  ['https://@public.example/hook', WITHOUT_USER],
  ['https:\\\\@public.example/hook', WITHOUT_USER],
  ['https:/\t/:@public.example/hook', WITHOUT_USER],
  ['https://public.example/@hook', null],
  ['https://public.example?@hook', null],
  ['https://xn--bcher-kva.example/hook', null],
  ['https://xn--a.example/hook', NO_HOST],
  ['https://hooks.xn--99999999/hook', NO_HOST],
  ['https://a..example/hook', NO_HOST],
  ['https://.example/hook', NO_HOST],
  ['https://public.example./hook', null],
  ['https://public.example:0/hook', NO_HOST],
  ['https://pub\tlic.example/hook', WITH_SPACE],
  [' https://public.example/hook', WITH_SPACE],
  ['https://public.example/a b', WITH_SPACE],
  ['https://public.example/\0', WITH_SPACE],
  [`https://${'x'.repeat(64)}.example/hook`, NO_HOST],
  [`https://${'x'.repeat(63)}.example/hook`, null],
  [`https://${'ü'.repeat(60)}.example/hook`, NO_HOST],
])('%s: %s', async (endpoint, problem) => {
  expect(await endpoints().checkEndpoint(endpoint, 'team')).toBe(problem)
})

it.each(['http://inside.example/hook', 'http://127.0.0.1:8080/hook'])(
  '%s may be registered where private networks are allowed',
  async (endpoint) => {
    expect(await endpoints(true).checkEndpoint(endpoint, 'team')).toBeNull()
  },
)
