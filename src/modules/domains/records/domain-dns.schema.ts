import { Type } from '@sinclair/typebox'
import { Id, Kind, Named, Nullable } from '../../../lib/validation/common.schema.ts'

export const DomainZoneFile = Named(
  'DomainZoneFile',
  Type.Object(
    {
      object: Kind('zone_file'),
      id: Id('Id of the domain.'),
      filename: Type.String({ description: 'Name under which to save it.', examples: ['mail.example.com.zone'] }),
      text: Type.String({
        description:
          'The records that the domain needs and those that are recommended, a line each, in the form of a zone file (BIND, RFC 1035).',
        examples: ['send.mail.example.com. 3600 IN MX 10 mx.example.net.\n'],
      }),
    },
    { description: 'The DNS records of a domain as a zone file.' },
  ),
)

export const DomainDnsHost = Named(
  'DomainDnsHost',
  Type.Object(
    {
      object: Kind('dns_host'),
      id: Id('Id of the domain.'),
      zone: Type.String({
        description: 'The domain whose name servers these are: the domain itself, or the registered one above it.',
        examples: ['example.com'],
      }),
      name_servers: Type.Array(Type.String(), {
        description: 'The name servers of the zone; empty if the DNS did not answer.',
        examples: [['ada.ns.cloudflare.com', 'bob.ns.cloudflare.com']],
      }),
      name: Nullable(Type.String({ description: 'Who hosts the zone; null if that is not known.', examples: ['Cloudflare'] })),
      guide_url: Nullable(Type.String({ description: 'Where this host says how records are entered; null if that is not known.' })),
    },
    { description: 'Where the DNS records of a domain are entered.' },
  ),
)
