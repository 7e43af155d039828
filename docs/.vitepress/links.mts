import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import path from 'node:path'
import type { SiteConfig } from 'vitepress'

/** Fails the build if a link leads to a file or an anchor that the site does not have. */
export function checkLinks({ outDir, site }: SiteConfig): void {
  const pages = readdirSync(outDir, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.html'))
  const html = new Map(pages.map((page) => [path.join(outDir, page), readFileSync(path.join(outDir, page), 'utf8')]))
  const dead = [...html].flatMap(([page, text]) =>
    [...text.matchAll(/ (?:href|src)="([^"]*)"/g)].map(([, link]) => link)
      .filter((link) => !isAlive(link, page))
      .map((link) => `${path.relative(outDir, page)}: ${link}`))
  if (dead.length) {
    throw new Error(`Dead links\n${dead.join('\n')}`)
  }

  function isAlive(link: string, page: string): boolean {
    const here = new URL(site.base + path.relative(outDir, page), 'file:')
    const { protocol, pathname, hash } = new URL(link.replaceAll('&amp;', '&'), here)
    if (protocol !== 'file:') {
      return true
    }
    const name = path.join(outDir, decodeURIComponent(pathname).replace(site.base, '/'))
    const file = [name, `${name}.html`, path.join(name, 'index.html')].find((file) => existsSync(file) && statSync(file).isFile())
    return file !== undefined && (!hash || html.get(file)!.includes(` id="${decodeURIComponent(hash).slice(1)}"`))
  }
}
