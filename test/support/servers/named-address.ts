// A second address of a service, which is known before the service is started: for PUBLIC_URL, and with a name, which passkeys need.
import { type AddressInfo, connect, createServer } from 'node:net'

export type NamedAddress = { origin: string; close(): void }

/** @param onward the address of the service, once it is there */
export async function openNamedAddress(onward: () => string): Promise<NamedAddress> {
  const server = createServer((socket) => {
    const { hostname, port } = new URL(onward())
    const other = connect(Number(port), hostname)
    socket.on('error', () => other.destroy()).pipe(other)
    other.on('error', () => socket.destroy()).pipe(socket)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return { origin: `http://localhost:${(server.address() as AddressInfo).port}`, close: () => void server.close() }
}
