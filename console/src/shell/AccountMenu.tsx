import { Button, Menu, useMantineColorScheme } from '@mantine/core'
import { CircleUser } from 'lucide-react'
import { useMe, useOpenTeam } from '../session/me'
import { SESSION_TEXTS } from '../texts/session'
import { SHELL_TEXTS as TEXTS } from '../texts/shell'
import { useGo } from './address'

/** The person who is signed in, their teams, colors, and the way out. */
export function AccountMenu({ onHelp }: { onHelp: () => void }) {
  const me = useMe()
  const go = useGo()
  const { colorScheme, setColorScheme } = useMantineColorScheme()
  const openTeam = useOpenTeam()
  return (
    <Menu position="bottom-end" width={240}>
      <Menu.Target>
        <Button variant="subtle" px="xs" aria-label={SESSION_TEXTS.yourAccount}>
          <CircleUser size={20} />
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>
          {me.name} · {me.email}
        </Menu.Label>
        <Menu.Item onClick={() => go('/account')}>{SESSION_TEXTS.yourAccount}</Menu.Item>
        {me.teams.length > 1 && <Menu.Label>{SESSION_TEXTS.teams}</Menu.Label>}
        {me.teams.length > 1 &&
          me.teams.map(({ id, name }) => (
            <Menu.Item key={id} onClick={() => openTeam.mutate(id)} disabled={id === me.team?.id}>
              <bdi>{name}</bdi>
            </Menu.Item>
          ))}
        <Menu.Label>{TEXTS.colors}</Menu.Label>
        {(['light', 'dark', 'auto'] as const).map((scheme) => (
          <Menu.Item
            key={scheme}
            onClick={() => setColorScheme(scheme)}
            aria-current={colorScheme === scheme || undefined}
            fw={colorScheme === scheme ? 700 : undefined}
          >
            {{ light: TEXTS.light, dark: TEXTS.dark, auto: TEXTS.system }[scheme]}
          </Menu.Item>
        ))}
        <Menu.Divider />
        <Menu.Item onClick={onHelp}>{TEXTS.help}</Menu.Item>
        <Menu.Item component="a" href="/docs">
          {TEXTS.documentation}
        </Menu.Item>
        <form method="post" action="/console/sign-out">
          {/* A menu that closes at once takes the form away before it is sent. */}
          <Menu.Item type="submit" component="button" closeMenuOnClick={false}>
            {SESSION_TEXTS.signOut}
          </Menu.Item>
        </form>
      </Menu.Dropdown>
    </Menu>
  )
}
