import { AppShell, Burger, Button, Group, Kbd, ScrollArea, Text } from '@mantine/core'
import { useDisclosure, useHotkeys } from '@mantine/hooks'
import { openSpotlight } from '@mantine/spotlight'
import { useRouterState } from '@tanstack/react-router'
import { Search } from 'lucide-react'
import { useEffect, useRef } from 'react'
import { useLiveChanges } from '../api/live'
import { ConfirmationDialog } from '../session/ConfirmationDialog'
import { useMe } from '../session/me'
import { SignedOutNotice } from '../session/SignedOutNotice'
import { SHELL_TEXTS as TEXTS } from '../texts/shell'
import { AccountMenu } from './AccountMenu'
import { CaptureNotice } from './CaptureNotice'
import { CommandPalette } from './CommandPalette'
import { KeysHelp, useGoKeys } from './keys'
import { Navigation } from './Navigation'
import { TeamOutlet } from './TeamOutlet'

/** Around every page: the navigation, the search, and whose team it is. */
export function Shell() {
  const [isMenuOpen, menu] = useDisclosure()
  const [isHelpOpen, help] = useDisclosure()
  const me = useMe()
  const path = useRouterState({ select: ({ location }) => location.pathname })
  const main = useRef<HTMLElement>(null)
  const before = useRef(path)
  useGoKeys()
  useLiveChanges(me.team?.id ?? null)
  useHotkeys([
    ['shift+?', help.open],
    ['/', openSpotlight],
  ])
  // A new page is read from its beginning: keys and screen readers start in it.
  useEffect(() => {
    if (before.current === path) return
    before.current = path
    menu.close()
    main.current?.focus()
  }, [path, menu.close])

  return (
    <AppShell
      header={{ height: 56 }}
      navbar={{ width: 220, breakpoint: 'md', collapsed: { mobile: !isMenuOpen } }}
      padding={{ base: 'sm', sm: 'lg' }}
    >
      <AppShell.Header>
        <Group h="100%" px="md" justify="space-between" wrap="nowrap">
          <Group gap="sm" wrap="nowrap" miw={0}>
            <Burger opened={isMenuOpen} onClick={menu.toggle} hiddenFrom="md" size="sm" aria-label={TEXTS.menu} />
            <Text fw={700} visibleFrom="xs">
              Posthaste
            </Text>
            <Text c="dimmed" truncate component="bdi">
              {me.team?.name}
            </Text>
          </Group>
          <Group gap="xs" wrap="nowrap">
            <Button
              variant="default"
              leftSection={<Search size={16} />}
              rightSection={<Kbd size="xs">{TEXTS.searchKeys}</Kbd>}
              onClick={openSpotlight}
              visibleFrom="sm"
            >
              {TEXTS.search}
            </Button>
            <Button variant="default" onClick={openSpotlight} hiddenFrom="sm" px="xs" aria-label={TEXTS.search}>
              <Search size={18} />
            </Button>
            <AccountMenu onHelp={help.open} />
          </Group>
        </Group>
      </AppShell.Header>
      <AppShell.Navbar>
        <ScrollArea type="hover" scrollbarSize={6} px="xs" py={4}>
          <Navigation path={path} />
        </ScrollArea>
      </AppShell.Navbar>
      <AppShell.Main fz="sm" ref={main} tabIndex={-1} style={NO_OUTLINE}>
        <SignedOutNotice />
        {me.installation.delivery === 'capture' && <CaptureNotice />}
        <TeamOutlet path={path} />
      </AppShell.Main>
      <CommandPalette />
      <KeysHelp isOpen={isHelpOpen} onClose={help.close} />
      <ConfirmationDialog />
    </AppShell>
  )
}

/** The page gets the focus when another one is opened, and can do nothing with it. */
const NO_OUTLINE = { outline: 'none' } as const
