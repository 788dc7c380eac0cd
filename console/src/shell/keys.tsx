import { Kbd, Modal, Table } from '@mantine/core'
import { useHotkeys } from '@mantine/hooks'
import { useRef } from 'react'
import { SHELL_TEXTS as TEXTS } from '../texts/shell'
import { useGo } from './address'

const PLACES: Readonly<Record<string, string>> = {
  o: '/',
  e: '/emails',
  c: '/contacts',
  b: '/broadcasts',
  m: '/metrics',
  l: '/logs',
  d: '/domains',
}
const PAIR_MS = 1_500

/** `g`, then a letter. */
export function useGoKeys(): void {
  const go = useGo()
  const began = useRef(0)
  useHotkeys([
    [
      'g',
      () => {
        began.current = performance.now()
      },
    ],
    ...Object.entries(PLACES).map(([key, path]): [string, () => void] => [
      key,
      () => {
        if (performance.now() - began.current > PAIR_MS) return
        began.current = 0
        go(path)
      },
    ]),
  ])
}

export const KeysHelp = ({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }) => (
  <Modal opened={isOpen} onClose={onClose} title={TEXTS.help}>
    <Table>
      <Table.Tbody>
        {TEXTS.keys.map(([keys, what]) => (
          <Table.Tr key={keys}>
            <Table.Td>
              <Kbd>{keys}</Kbd>
            </Table.Td>
            <Table.Td>{what}</Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  </Modal>
)
