// A resolver that knows the domains of the bench, each with all of its records.
import { startDnsServer } from '../test/support/servers/dns-server.ts'
import { domainAt, publishedBy } from './domains.ts'

const [count = '0'] = process.argv.slice(2)

const server = await startDnsServer(Object.assign({}, ...Array.from({ length: Number(count) }, (_, index) => publishedBy(domainAt(index)))))
process.send?.(server.address)
process.once('SIGTERM', () => process.exit(0))
