#!/bin/sh
# Plants each fault of plants/ in a copy of the project and simulates until a seed
# finds it: plant.sh [name of a patch]...; SEEDS=n tries more or fewer than 40 seeds.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT
cd "$root"
git ls-files -z --cached --others --exclude-standard | xargs -0 cp --parents -t "$copy"
missed=0
printf '%-40s %-10s %s\n' fault seed 'what was seen'
for patch in "$root"/test/simulate/plants/*.patch; do
	name=$(basename "$patch" .patch)
	case " ${*:-$name} " in *" $name "*) ;; *) continue ;; esac
	(cd "$copy" && git apply --whitespace=nowarn "$patch")
	out=$(cd "$copy" && go test ./test/simulate -run TestSeeds -count 1 -timeout 60m -failfast -v -seeds "${SEEDS:-40}" 2>&1) || true
	(cd "$copy" && git apply -R --whitespace=nowarn "$patch")
	seed=$(printf '%s\n' "$out" | sed -n 's/.*repeat with: make simulate SEED=\([0-9]*\).*/\1/p' | head -n 1)
	if [ -z "$seed" ]; then
		missed=1
		printf '%-40s %-10s %s\n' "$name" 'NOT FOUND' "$(printf "%s\n" "$out" | grep -v "^FAIL$" | tail -n 1)"
		continue
	fi
	what=$(printf '%s\n' "$out" | sed -n 's/^ *simulate_test.go:[0-9]*: //p' | grep -v '^seed ' | head -n 1 | cut -c1-120)
	printf '%-40s %-10s %s\n' "$name" "$seed" "$what"
done
exit $missed
