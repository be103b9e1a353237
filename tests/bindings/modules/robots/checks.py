"""What the module does, whichever tool has made it: `m` is the module."""

import numpy as np
import pytest


def test_poses(m):
    pose = m.Pose(1, angle=2)
    assert (pose.x, pose.y, pose.angle) == (1, 0, 2) and m.Pose().x == 0
    pose.x = 4
    assert pose + m.Pose(1) == m.Pose(5, 0, 2) and repr(pose) == "Pose(4)"
    with pytest.raises(AttributeError):
        pose.angle = 1


def test_robots(m):
    robot = m.Robot("ann")
    assert (robot.pose.x, robot.pose.y, robot.state) == (1, 2, m.State.IDLE) and robot.last_speed is None
    robot.move(2)
    assert robot.x == 3 and robot.state == m.State.MOVING and list(robot.path()) == [3, 2]
    robot.move(to=m.Pose(7))
    robot.pose.y = 9
    robot.x = 8
    assert (robot.x, robot.pose.y) == (8, 9)
    robot.name, robot.sensors = "bob", {"left": 1}
    assert robot.name == "bob" and dict(robot.sensors) == {"left": 1}
    other = m.Robot(name="eve", start=m.Pose(0))
    robot.follow(other)
    assert robot.leader.name == "eve"
    robot.follow(None)
    assert robot.leader is None and m.clone(robot).name == "bob 2"


def test_errors(m):
    with pytest.raises(m.RobotError, match="wall"):
        m.Robot("ann").move(-1, 0)
    assert issubclass(m.RobotError, ValueError)


def test_controllers(m):
    class Careful(m.Controller):
        def allows(self, to):
            return to.x < 10

    class Fast(Careful):
        def speed(self, distance):
            return distance * 2

    robot = m.Robot("ann", m.Pose(0))
    assert not robot.drive(Careful(), m.Pose(11)) and robot.drive(Careful(), m.Pose(4)) and robot.last_speed == 2
    assert robot.drive(Fast(), m.Pose(5)) and robot.last_speed == 2


def test_fleet(m):
    fleet = m.Fleet()
    robot = fleet.add("ann")
    fleet.add("bob").move(5, 0)
    assert len(fleet) == 2 and fleet.get(1).x == 5 and fleet.get(2) is None and fleet.names() == ["ann", "bob"]
    del fleet
    assert robot.name == "ann"


def test_functions(m):
    assert m.farthest([m.Pose(2), m.Pose(5)]).x == 5 and m.farthest([m.Pose(2)], m.Pose(3)).x == 3
    assert m.shifted(m.Pose(1), [2, 3]) == m.Pose(3, 3) and m.known(True).y == 2 and m.known(False) is None
    counter = m.Counter(5)
    assert counter() == 6 and counter(by=4) == 10 and m.Counter.made() == 7
    assert m.length([1.0, 2.0]) == 3 and m.version() == (2, "two") and m.apply(lambda x: 2 * x) == 8
    assert m.raw(b"abcd") == b"ab" and m.LIMIT == 1.5
    assert m.Access.Read | m.Access.Write == 3 and m.Write == 2


def test_arrays(m):
    assert m.mean(np.array([1, 2, 3], dtype=np.float32)) == 2
    points = np.ones((2, 3))
    m.clear(points)
    assert points.sum() == 0
    grid = np.asarray(m.grid(2, 3))
    assert grid.shape == (2, 3) and grid[1, 2] == 5
