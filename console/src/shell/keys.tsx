import { Kbd, Modal, Stack, Table } from '@mantine/core'
import { useHotkeys } from '@mantine/hooks'
import { useRef } from 'react'
import { SHELL_TEXTS as TEXTS } from '../texts/shell'
import { useGo } from './address'
import { useMayOpen } from './may-open'
import { useShownKeys } from './page-keys'
import { SECTIONS } from './sections'

const PLACES: Readonly<Record<string, string>> = {
  o: '/',
  e: '/emails',
  c: '/contacts',
  b: '/broadcasts',
  m: '/metrics',
  l: '/logs',
  d: '/domains',
}
const nameOf = (path: string): string => SECTIONS.find((section) => `/${section.path}` === path)?.name ?? ''
const PAIR_MS = 1_500

/** `g`, then a letter. */
export function useGoKeys(): void {
  const mayOpen = useMayOpen()
  const go = useGo()
  const began = useRef(0)
  useHotkeys([
    [
      'g',
      () => {
        began.current = performance.now()
      },
    ],
    ...Object.entries(PLACES)
      .filter(([, path]) => mayOpen(path))
      .map(([key, path]): [string, () => void] => [
        key,
        () => {
          if (performance.now() - began.current > PAIR_MS) return
          began.current = 0
          go(path)
        },
      ]),
  ])
}

/** What works on this page, and what works everywhere. */
export function KeysHelp({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }) {
  const here = useShownKeys()
  const mayOpen = useMayOpen()
  const places = Object.entries(PLACES).filter(([, path]) => mayOpen(path))
  return (
    <Modal opened={isOpen} onClose={onClose} title={TEXTS.help}>
      <Stack>
        {here.length > 0 && <Keys title={TEXTS.keysHere} keys={here.map(({ keys, what }) => [keys, what])} />}
        <Keys
          title={TEXTS.keysEverywhere}
          keys={[...TEXTS.keys, ...places.map(([key, path]) => [TEXTS.goKey(key), nameOf(path)] as const)]}
        />
      </Stack>
    </Modal>
  )
}

const Keys = ({ title, keys }: { title: string; keys: readonly (readonly [string, string])[] }) => (
  <Table aria-label={title} layout="fixed" captionSide="top">
    <Table.Caption ta="left">{title}</Table.Caption>
    <Table.Tbody>
      {keys.map(([key, what]) => (
        <Table.Tr key={key}>
          <Table.Td w={150}>
            <Kbd>{key}</Kbd>
          </Table.Td>
          <Table.Td>{what}</Table.Td>
        </Table.Tr>
      ))}
    </Table.Tbody>
  </Table>
)
