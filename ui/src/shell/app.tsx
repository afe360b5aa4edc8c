import { lazy, Suspense, useEffect, useState, type ReactNode } from "react";
import { Icon, Mark } from "../parts/icons";
import { Empty, Loading } from "../parts/basics";
import { Link, match, navigate, usePlace } from "./router";
import { SessionProvider, useSession, type Session } from "./session";
import { Trouble } from "../parts/basics";
import { Login } from "../pages/login";
import { chosenTheme, chooseTheme, type Theme } from "./theme";
import { Home } from "../pages/home";
import { Executions } from "../pages/executions";

const Execution = lazy(() => import("../pages/execution/execution"));
const Tasks = lazy(() => import("../pages/tasks"));
const Task = lazy(() => import("../pages/task"));
const Queues = lazy(() => import("../pages/queues"));
const Timers = lazy(() => import("../pages/timers"));
const Flows = lazy(() => import("../pages/flows/flows"));
const Flow = lazy(() => import("../pages/flows/flow"));
const NewFlow = lazy(async () => ({ default: (await import("../pages/flows/flow")).NewFlow }));
const Workers = lazy(() => import("../pages/workers"));
const Schedules = lazy(() => import("../pages/schedules"));
const Settings = lazy(() => import("../pages/settings"));

const NAVIGATION: [string, string, string][] = [
  ["/", "home", "Home"],
  ["/workflows", "executions", "Executions"],
  ["/flows", "flows", "Flows"],
  ["/tasks", "tasks", "Tasks"],
  ["/queues", "queues", "Queues"],
  ["/workers", "workers", "Workers"],
  ["/timers", "timers", "Timers"],
  ["/schedules", "schedules", "Schedules"],
  ["/settings", "settings", "Settings"],
];

const ROUTES: [string, (names: Record<string, string>) => ReactNode][] = [
  ["/", () => <Home />],
  ["/workflows", () => <Executions />],
  ["/workflows/:id", ({ id = "" }) => <Execution key={id} id={id} />],
  ["/flows", () => <Flows />],
  ["/flows/new/edit", () => <NewFlow />],
  ["/flows/:name", ({ name = "" }) => <Flow key={name} name={name} edit={false} />],
  ["/flows/:name/edit", ({ name = "" }) => <Flow key={name} name={name} edit />],
  ["/tasks", () => <Tasks />],
  ["/tasks/:id", ({ id = "" }) => <Task key={id} id={id} />],
  ["/queues", () => <Queues />],
  ["/workers", () => <Workers />],
  ["/timers", () => <Timers />],
  ["/schedules", () => <Schedules />],
  ["/settings", () => <Settings />],
  ["/login", () => <Home />],
];

export function App() {
  const { session, enter, leave } = useSession();
  if (session.state === "out") return <Login why={session.why} enter={enter} />;
  if (session.state === "asking") return session.error === undefined ? null : <div className="page"><Trouble error={session.error} /></div>;
  return (
    <SessionProvider value={session.who}>
      <Shell key={session.tenant} session={session} leave={leave} />
    </SessionProvider>
  );
}

type LoggedIn = Extract<Session, { state: "in" }>;

function Shell({ session, leave }: { session: LoggedIn; leave: () => Promise<void> }) {
  const { path } = usePlace();
  const [menu, setMenu] = useState(false);
  useEffect(() => setMenu(false), [path]);
  return (
    <div className="shell">
      <a className="skip" href="#main">
        Skip to the content
      </a>
      <header className="mast">
        <Link href="/" className="brand">
          <Mark /> Holdfast
        </Link>
        <button type="button" className="quiet menu" aria-expanded={menu} aria-label="Menu" onClick={() => setMenu(!menu)}>
          <Icon name="menu" />
        </button>
        <nav aria-label="Main" data-open={menu}>
          {NAVIGATION.map(([href, icon, label]) => (
            <Link key={href} href={href} aria-current={isCurrent(href, path) ? "page" : undefined}>
              <Icon name={icon} /> {label}
            </Link>
          ))}
          <div className="spring" />
          <Tenant session={session} />
          <ThemeSwitch />
          {!session.who.open && (
            <button type="button" className="quiet" onClick={() => void leave()} title={session.who.name}>
              <Icon name="logout" /> Log out
            </button>
          )}
        </nav>
      </header>
      <main id="main" tabIndex={-1}>
        <Suspense fallback={<Loading what="the page" />}>{viewOf(path)}</Suspense>
      </main>
    </div>
  );
}

/** Which tenant these pages are about; whoever may see several can go to another one. */
function Tenant({ session }: { session: LoggedIn }) {
  const { who, tenant } = session;
  if (who.tenant_id !== null) return <p className="tenant faint cut" title={`tenant ${tenant}`}>tenant {tenant}</p>;
  if (who.open && tenant === "default") return null;
  return (
    <form
      className="tenant"
      onSubmit={(event) => {
        event.preventDefault();
        const name = String(new FormData(event.currentTarget).get("tenant") ?? "").trim();
        navigate(`/?tenant=${encodeURIComponent(name || "default")}`);
      }}
    >
      <label className="field wide">
        <span>Tenant</span>
        <input name="tenant" defaultValue={tenant} spellCheck={false} maxLength={100} />
      </label>
    </form>
  );
}

const isCurrent = (href: string, path: string): boolean =>
  href === "/" ? path === "/" : path === href || path.startsWith(`${href}/`);

function viewOf(path: string): ReactNode {
  for (const [pattern, view] of ROUTES) {
    const names = match(pattern, path);
    if (names) return view(names);
  }
  return (
    <Empty title="There is no such page">
      <p>
        <Link href="/">Go home</Link>, or to <Link href="/workflows">all executions</Link>.
      </p>
    </Empty>
  );
}

const NEXT: Record<Theme, Theme> = { system: "light", light: "dark", dark: "system" };
const THEME_ICONS: Record<Theme, string> = { system: "system", light: "sun", dark: "moon" };

function ThemeSwitch() {
  const [theme, setTheme] = useState(chosenTheme);
  return (
    <button
      type="button"
      className="quiet theme"
      onClick={() => {
        setTheme(NEXT[theme]);
        chooseTheme(NEXT[theme]);
      }}
    >
      <Icon name={THEME_ICONS[theme]} /> {theme === "system" ? "As the system" : theme === "light" ? "Light" : "Dark"}
    </button>
  );
}
