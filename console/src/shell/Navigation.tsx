import { Collapse, Group, NavLink, Text, UnstyledButton } from '@mantine/core'
import { useLocalStorage } from '@mantine/hooks'
import { Link } from '@tanstack/react-router'
import { ChevronDown, ChevronRight } from 'lucide-react'
import { type ReactNode, useId } from 'react'
import { useMay, useMe } from '../session/me'
import { SHELL_TEXTS as TEXTS } from '../texts/shell'
import { type Section, sectionsOf } from './sections'

type GroupName = Exclude<Section['group'], 'none'>

const GROUPS: readonly GroupName[] = ['top', 'Mail', 'Audience', 'Developers', 'Team', 'Operation']

/** The sections by groups, which can be folded. It fits on a screen of 900 pixels as it is at first. */
export function Navigation({ path }: { path: string }) {
  const may = useMay()
  const me = useMe()
  const shown = sectionsOf(me, may)
  const here = path.split('/')[1] ?? ''
  // People who work in a team look after the installation now and then.
  const isFoldedAtFirst = (group: GroupName) => group === 'Operation' && me.team !== null
  return GROUPS.map((group) => {
    const sections = shown.filter((section) => section.group === group)
    if (sections.length === 0) return null
    const links = sections.map(({ name, path: part, icon: Icon }) => (
      <NavLink
        key={part}
        component={Link}
        to={`/${part}` as never}
        label={name}
        leftSection={<Icon size={16} />}
        active={here === part}
        aria-current={here === part ? 'page' : undefined}
      />
    ))
    return (
      <nav key={group} aria-label={TEXTS.groups[group] || TEXTS.menu}>
        {group === 'top' ? (
          links
        ) : (
          <Folded group={group} isFoldedAtFirst={isFoldedAtFirst(group)} isHere={sections.some(({ path: part }) => part === here)}>
            {links}
          </Folded>
        )}
      </nav>
    )
  })
}

type FoldedProps = { group: GroupName; isFoldedAtFirst: boolean; isHere: boolean; children: ReactNode }

/** The browser remembers what someone has folded. The group of the page that is shown is open in any case. */
function Folded({ group, isFoldedAtFirst, isHere, children }: FoldedProps) {
  const [isFolded, fold] = useLocalStorage({
    key: `posthaste-menu-${group}`,
    defaultValue: isFoldedAtFirst,
    getInitialValueInEffect: false,
  })
  const id = useId()
  const isOpen = isHere || !isFolded
  const Arrow = isOpen ? ChevronDown : ChevronRight
  return (
    <>
      <UnstyledButton w="100%" px="xs" pt={6} pb={2} aria-expanded={isOpen} aria-controls={id} onClick={() => fold(!isFolded)}>
        <Group gap={4} justify="space-between" c="dimmed">
          <Text size="xs" fw={500} lh={1.3}>
            {TEXTS.groups[group]}
          </Text>
          <Arrow size={14} aria-hidden />
        </Group>
      </UnstyledButton>
      <Collapse expanded={isOpen} id={id}>
        {children}
      </Collapse>
    </>
  )
}
