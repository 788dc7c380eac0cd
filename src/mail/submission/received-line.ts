// The line that each server puts on top of a message that it takes (RFC 5321, section 4.4).

export type Reception = {
  /** The name that the client gave in EHLO. */
  helo: string
  /** `ESMTPSA` over TLS, `ESMTPA` without (RFC 3848). */
  protocol: string
  /** This server. */
  host: string
}

/** Without the address of the client, which would tell recipients where the programs of a team run. So is a name that is an address, or none. */
export function receivedLine({ helo, protocol, host }: Reception, { id, date }: { id: string; date: Date }): string {
  const client = helo.length <= HELO_LENGTH_MAX && DOMAIN.test(helo) && !/^[\d.]+$/.test(helo) ? helo : 'unknown'
  return `Received: from ${client} by ${host}\r\n with ${protocol} id ${id};\r\n ${date.toUTCString().replace('GMT', '+0000')}`
}

const HELO_LENGTH_MAX = 253
const DOMAIN = /^[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?(?:\.[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?)*$/
