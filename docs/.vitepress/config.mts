import { defineConfigWithTheme, type DefaultTheme } from 'vitepress'
import { sidebar, translations } from './contents.mts'
import { checkLinks } from './links.mts'
import { asOnGitHub, REPOSITORY, slugify } from './markdown.mts'
import { search } from './search.mts'

const CHINESE = 'zh-CN'

const ICON = 'data:image/svg+xml,'
  + encodeURIComponent('<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 100 100"><text y=".9em" font-size="90">🔒</text></svg>')

const english = sidebar('')
const chinese = sidebar(CHINESE)

const homes = {
  'index.md': {
    tagline: 'Configured with annotations, on Redis, ZooKeeper, SQL databases or in memory',
    text: 'Distributed locks for Spring Boot',
    start: { text: 'Getting started', link: english[0].items![0].link },
  },
  [`${CHINESE}/index.md`]: {
    tagline: '用注解配置，支持 Redis、ZooKeeper、SQL 数据库与内存',
    text: 'Spring Boot 分布式锁',
    start: { text: '快速开始', link: chinese[0].items![0].link },
  },
}

export default defineConfigWithTheme<DefaultTheme.Config & { translations?: [string, string][] }>({
  title: 'lock-spring-boot-starter',
  base: '/lock-spring-boot-starter/',
  cleanUrls: true,
  head: [['link', { rel: 'icon', href: ICON }]],
  rewrites: (page) => page.replace(/README\.md$/, 'index.md'),
  markdown: { anchor: { slugify }, attrs: { disable: true }, config: asOnGitHub },
  themeConfig: {
    search,
    outline: [2, 3],
    socialLinks: [{ icon: 'github', link: REPOSITORY }],
    // Not all pages are translated: see theme/index.ts
    i18nRouting: false,
    translations: translations(CHINESE),
  },
  locales: {
    root: {
      label: 'English',
      lang: 'en',
      description: 'Distributed locks for Spring Boot, configured with annotations',
      themeConfig: {
        sidebar: english,
        editLink: { pattern: `${REPOSITORY}/edit/main/docs/:path` },
      },
    },
    [CHINESE]: {
      label: '简体中文',
      lang: CHINESE,
      description: 'Spring Boot 分布式锁，用注解配置',
      themeConfig: {
        sidebar: chinese,
        editLink: { pattern: `${REPOSITORY}/edit/main/docs/:path`, text: '编辑此页' },
        outline: { level: [2, 3], label: '本页目录' },
        docFooter: { prev: '上一页', next: '下一页' },
        darkModeSwitchLabel: '外观',
        lightModeSwitchTitle: '切换到浅色模式',
        darkModeSwitchTitle: '切换到深色模式',
        sidebarMenuLabel: '菜单',
        returnToTopLabel: '回到顶部',
        langMenuLabel: '切换语言',
        skipToContentLabel: '跳到正文',
        notFound: { title: '页面不存在', quote: '此地址没有对应的页面。', linkText: '返回首页', linkLabel: '返回首页' },
      },
    },
  },
  transformPageData({ relativePath }) {
    const home = homes[relativePath]
    return home && {
      title: home.text,
      frontmatter: {
        layout: 'home',
        hero: {
          name: 'lock-spring-boot-starter',
          text: home.text,
          tagline: home.tagline,
          actions: [{ theme: 'brand', ...home.start }, { theme: 'alt', text: 'GitHub', link: REPOSITORY }],
        },
      },
    }
  },
  buildEnd: checkLinks,
})
