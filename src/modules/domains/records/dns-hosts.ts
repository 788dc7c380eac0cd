// Who hosts the DNS of a domain, by the names of its name servers, and where that host says how records are entered.

export type DnsHost = { name: string; guideUrl: string }

/** The name servers of a domain that are looked at. Honest ones have fewer. */
const NAME_SERVERS_MAX = 20

/** Null if it is not one of those that we know. */
export const dnsHostOf = (nameServers: readonly string[]): DnsHost | null =>
  nameServers.slice(0, NAME_SERVERS_MAX).flatMap((server) => HOSTS.filter(({ names }) => names.some((name) => isUnder(server, name))))[0]
    ?.host ?? null

/** `name` ends a name server's name, or stands in it if it has a hyphen at its end: `ns-1.awsdns-21.com`. */
const isUnder = (server: string, name: string): boolean =>
  name.endsWith('-') ? server.includes(`.${name}`) : server === name || server.endsWith(`.${name}`)

const host = (name: string, guideUrl: string, names: readonly string[]) => ({ host: { name, guideUrl }, names })

const HOSTS = [
  host('Cloudflare', 'https://developers.cloudflare.com/dns/manage-dns-records/how-to/create-dns-records/', ['ns.cloudflare.com']),
  host('Amazon Route 53', 'https://docs.aws.amazon.com/Route53/latest/DeveloperGuide/resource-record-sets-creating.html', ['awsdns-']),
  host('GoDaddy', 'https://www.godaddy.com/help/manage-dns-records-680', ['domaincontrol.com']),
  host('Namecheap', 'https://www.namecheap.com/support/knowledgebase/article.aspx/434/2237/how-do-i-set-up-host-records-for-a-domain/', [
    'registrar-servers.com',
  ]),
  host('Google Cloud DNS', 'https://cloud.google.com/dns/docs/records', ['googledomains.com']),
  host('Azure DNS', 'https://learn.microsoft.com/azure/dns/dns-operations-recordsets-portal', [
    'azure-dns.com',
    'azure-dns.net',
    'azure-dns.org',
    'azure-dns.info',
  ]),
  host('DigitalOcean', 'https://docs.digitalocean.com/products/networking/dns/how-to/manage-records/', ['digitalocean.com']),
  host('Hetzner', 'https://docs.hetzner.com/dns-console/dns/', [
    'ns.hetzner.com',
    'ns.hetzner.de',
    'your-server.de',
    'second-ns.com',
    'second-ns.de',
  ]),
  host('OVHcloud', 'https://help.ovhcloud.com/csm/en-dns-edit-dns-zone', ['ovh.net', 'ovh.ca', 'anycast.me']),
  host('IONOS', 'https://www.ionos.com/help/domains/', ['ui-dns.com', 'ui-dns.de', 'ui-dns.org', 'ui-dns.biz']),
  host('Gandi', 'https://docs.gandi.net/en/domain_names/common_operations/dns_records.html', ['gandi.net']),
  host('DNSimple', 'https://support.dnsimple.com/articles/record-editor/', ['dnsimple.com', 'dnsimple-edge.net', 'dnsimple-edge.org']),
  host('Vercel', 'https://vercel.com/docs/domains/managing-dns-records', ['vercel-dns.com']),
  host('Wix', 'https://support.wix.com/en/article/managing-dns-records-in-your-wix-account', ['wixdns.net']),
  host('Porkbun', 'https://kb.porkbun.com/article/231-how-to-add-dns-records-on-porkbun', ['ns.porkbun.com']),
]
